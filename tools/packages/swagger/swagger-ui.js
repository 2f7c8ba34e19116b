// Not part of releases: the page of the API uses swagger-ui-bundle.js.
