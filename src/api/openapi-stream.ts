/** The description of the stream of changes in the OpenAPI document. */

export const EVENT_STREAM = 'text/event-stream';

export const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last event: the stream continues after it. `EventSource` sends it itself',
  schema: { type: 'string' },
};

export const STREAM_EVENTS =
  '`event: change` has the cursor as its `id`, and as `data` an item of `/v1/changes` without `resource`. With ' +
  '`presence=1` come `event: presence` (a server as `/v1/servers` gives it) and `event: live` (a match as ' +
  '`/v1/live-matches` gives it; with `phase` `ended` and without most members once there is none), both without `id`, at ' +
  'most one of each a second and server, and first the present state. The stream ends after `event: reset` (`data` is the ' +
  'body of 410), `event: unauthorized` (the token has expired or was revoked, or the application has lost its access) and ' +
  '`event: too_slow` (the client did not read). A comment comes every 15 seconds. An application may have several streams ' +
  'open, of which one at a time reads the past; a stream that waits for another is only late';

export const streamHeaders = (): object => ({
  'X-Stream-Limit': { description: 'Streams that may be open at a time', schema: { type: 'integer' } },
  'X-Stream-Remaining': { description: 'How many more may be opened', schema: { type: 'integer' } },
});
