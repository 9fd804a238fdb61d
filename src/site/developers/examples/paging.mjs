// Reads all matches from the newest to the oldest. To fetch only new matches, stop at the first id you already have.
const headers = { Authorization: 'Bearer @token@' };

async function* matches() {
  for (let page = '@api@/v1/matches?limit=100'; page; ) {
    const response = await fetch(page, { headers });
    if (response.status === 429) {
      const seconds = Number(response.headers.get('Retry-After'));
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      continue;
    }
    if (!response.ok) throw new Error(await response.text());
    const items = await response.json();
    yield* items;
    page = items.length && `@api@/v1/matches?limit=100&max_id=${items.at(-1).id}`;
  }
}

const ids = [];
for await (const { id } of matches()) ids.push(id);
console.log(`${ids.length} matches`);
