#pragma once

namespace splitgp::table {

/// The note of a model file that holds the model's recipe.
inline constexpr const char* kRecipeNote = "table_recipe";

}  // namespace splitgp::table
