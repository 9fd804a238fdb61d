/** Files that the commands read. */
export const FILES: Record<string, string> = {
  'servers.yml': `servers:
  - { name: Alpha, region: eu, max: 100 }
  - { name: "Bay: Lobby", region: us, order: 2, watch: { address: play.example.org, protocol: minecraft } }
`,
  'wrong.yml': 'servers:\n  - { name: A, regoin: eu }\n',
  'network.yml': `servers:
  - { name: Alpha, region: eu, punishments: own }
applications:
  - name: Notice Board
    type: service
    redirect_uris: [https://board.example/cb]
    access: approved
    hourly_limit: 5000
    owners: [Robin]
  - { name: Window, type: web }
accounts:
  - { name: Moa, role: user }
  - { name: Robin, role: operator }
`,
  'maps/keep/map.xml': `<map proto="1.4.2"><name>Hollow Keep</name><version>1.2.0</version><objective>Take it.</objective>
<authors><author uuid="11111111-2222-4333-8444-555555555555" contribution="Walls"/> <!-- Mason_1 --></authors>
<teams><team id="r" color="dark red" max="12">Red  Team</team><team id="b" color="BLUE">Blue</team></teams>
<wools><wool team="r" color="red" location="1,2,3"/></wools></map>`,
  'maps/fen/map.xml': '<map><name>The Fen</name><version>1</version><gamemode>ctf</gamemode><flags/></map>',
  'maps/broken/map.xml': '<map>',
  'rotations/Alpha.txt': '# comment\nHollow Keep\nthe  FEN\nElsewhere\n',
  'rotations/Harbour One.txt': 'Hollow Keep\n',
  'passwords.txt': 'correct horse battery\nstaple tower lantern\n',
  'minecraft/usercache.json': JSON.stringify([
    { name: 'Ann', uuid: '11111111-2222-4333-8444-555555555555', expiresOn: '2026-02-28 12:00:00 +0000' },
    { name: 'x' },
  ]),
  'minecraft/banned-players.json': JSON.stringify([
    {
      ...{ uuid: '11111111-2222-4333-8444-555555555555', name: 'Ann', created: '2025-06-01 10:00:00 +0200' },
      ...{ source: 'Server', expires: 'forever', reason: 'Why' },
    },
    { uuid: 'x' },
  ]),
  'minecraft/stats/11111111-2222-4333-8444-555555555555.json': JSON.stringify({
    stats: {
      'minecraft:custom': { 'minecraft:deaths': 4, 'minecraft:player_kills': 2, 'minecraft:play_time': 24_000 },
    },
  }),
};
