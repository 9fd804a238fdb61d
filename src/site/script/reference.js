// Shows the OpenAPI document of the data API.
const place = document.getElementById('reference');
// The renderer is a script of the older kind: it leaves its function with the window.
const renderer = document.createElement('script');
renderer.src = place.dataset.renderer;
await new Promise((resolve, reject) => {
  renderer.addEventListener('load', resolve);
  renderer.addEventListener('error', reject);
  document.head.append(renderer);
});

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

window.SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  deepLinking: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // The page has its one main part already.
  onComplete: () => place.querySelector('main')?.setAttribute('role', 'group'),
  syntaxHighlight: { activated: false },
});
