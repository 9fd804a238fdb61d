import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { calmest, coresOf } from '#base/cores.ts';

test('a list of cores is read as Linux writes it', () => {
  const runs = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })), { maxLength: 9 });
  fc.assert(
    fc.property(runs, (pairs) => {
      const [cores, parts]: [number[], string[]] = [[], []];
      let next = 0;
      for (const [gap, length] of pairs) {
        const first = next + gap;
        next = first + length;
        parts.push(length === 1 ? `${first}` : `${first}-${next - 1}`);
        for (let core = first; core < next; core++) cores.push(core);
      }
      assert.deepEqual(coresOf(`${parts.join(',')}\n`), cores);
    }),
  );
});

test('the calmest core is the one that devices interrupt the least; the last one where nothing tells', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'cores-'));
  const table = join(folder.path, 'interrupts');
  const lines = [
    '           CPU0       CPU2       CPU3',
    '  1:         10          0          5  IO-APIC   9-edge  keyboard',
    ' 36:          7          9          3  PCI-MSIX  1-edge  disk',
    'NMI:          0          0      90000  Non-maskable interrupts',
    'ERR:          3',
  ];
  await writeFile(table, `${lines.join('\n')}\n`);
  assert.equal(calmest([0, 2, 3], table), 3, 'what the kernel tells itself does not count');
  assert.equal(calmest([0, 2], table), 2);
  assert.equal(calmest([0], table), 0);
  assert.equal(calmest([0, 1, 2], `${table}-gone`), 2);
});
