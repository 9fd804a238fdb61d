// Renders the OpenAPI document of the data API with Swagger UI.
const container = document.getElementById('reference');
// Swagger UI is a classic script, not a module: it assigns its function to `window`.
const renderer = document.createElement('script');
renderer.src = container.dataset.renderer;
await new Promise((resolve, reject) => {
  renderer.addEventListener('load', resolve);
  renderer.addEventListener('error', reject);
  document.head.append(renderer);
});

const dark = matchMedia('(prefers-color-scheme: dark)');
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyTheme);
applyTheme();

window.SwaggerUIBundle({
  url: container.dataset.document,
  domNode: container,
  deepLinking: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // The page already has a main element, and a document may have only one.
  onComplete: () => container.querySelector('main')?.setAttribute('role', 'group'),
  syntaxHighlight: { activated: false },
});
