"""The pages, one module for each part of the navigation: from a request to the values of a template."""
