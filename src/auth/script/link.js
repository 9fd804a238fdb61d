// Continues when the game account is linked: asks every few seconds, then submits the form that a person without scripts
// presses. It stops when the code has expired.

const INTERVAL_MS = 3_000;

async function follow(form) {
  const { state, valid } = form.dataset;
  const end = Date.now() + Number(valid);
  form.querySelector('[role=status]').hidden = false;
  while (Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    if (document.hidden) continue;
    const response = await fetch(state, { cache: 'no-store', redirect: 'error' }).catch(() => undefined);
    // Signed out, or the sign-in has expired: the form says so.
    if (response?.status === 410) break;
    if (response?.ok && (await response.json()).linked) return form.submit();
  }
  form.querySelector('[role=status]').hidden = true;
}

for (const form of document.querySelectorAll('form[data-state]')) void follow(form);
