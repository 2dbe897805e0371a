"""What the experiments share: methods, data on the way, measurements as jobs, figures and pages."""
