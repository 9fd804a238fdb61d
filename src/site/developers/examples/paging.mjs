// Walks all matches from the newest to the oldest. Stop early at the first id you know already.
const headers = { Authorization: 'Bearer @token@' };

async function* matches() {
  for (let page = '@api@/v1/matches?limit=100'; page; ) {
    const answer = await fetch(page, { headers });
    if (answer.status === 429) {
      const seconds = Number(answer.headers.get('Retry-After'));
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      continue;
    }
    const found = await answer.json();
    yield* found;
    page = found.length && `@api@/v1/matches?limit=100&max_id=${found.at(-1).id}`;
  }
}

const ids = [];
for await (const { id } of matches()) ids.push(id);
console.log(`${ids.length} matches`);
