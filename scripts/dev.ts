// The entry of `npm run dev`: serves under `node --watch-path` and `--inspect`.

// With this variable Node makes worker threads report their imports as messages to the parent, mixed with our own
// messages. `--watch-path` does not need the reports.
delete process.env['WATCH_REPORT_DEPENDENCIES'];

await import('../src/main.ts');
