// Serves under `node --watch-path` and `--inspect`: what `npm run dev` runs.

// Node makes worker threads report what they import as messages to their parent, among the messages of our own protocol.
// A watched folder needs no such reports.
delete process.env['WATCH_REPORT_DEPENDENCIES'];

await import('../src/main.ts');
