// Adds a copy button to each element with `data-copy`, the text of the button. Without a script the reader selects the text.
// Pages on plain http other than loopback have no clipboard.

for (const block of navigator.clipboard ? document.querySelectorAll('[data-copy]') : []) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy quiet';
  button.textContent = block.dataset.copy;
  button.addEventListener('click', () => void copy(block, button));
  block.append(button);
}

async function copy(block, button) {
  await navigator.clipboard.writeText(block.querySelector('code').textContent);
  button.textContent = block.dataset.copied;
  setTimeout(() => (button.textContent = block.dataset.copy), 2_000);
}
