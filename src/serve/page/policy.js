// The page's security policy forbids style attributes, because markup that someone smuggled in could use them. The charting
// library sets some by script (an empty one, and how to scale an image); through the style object the same is allowed.

const set_attribute = Element.prototype.setAttribute;
Element.prototype.setAttribute = function (name, value) {
  if (name === 'style') this.style.cssText = value;
  else set_attribute.call(this, name, value);
};
