// Shows the OpenAPI document of the data API.
const place = document.getElementById('reference');

window.SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  deepLinking: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { activated: false },
});
