import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Report } from '../report.ts';
import type { JavaDriver } from './java.ts';

const PATIENCE_MS = 10_000;
const HALF_AN_ANSWER = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[';

/** A service that stops in the middle of a body: the plugin gives up, and closes the connection. */
export async function checkStalledBody(folder: string, driver: JavaDriver, report: Report): Promise<void> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(HALF_AN_ANSWER));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection') as Promise<[Socket]>;
  {
    const { port } = server.address() as AddressInfo;
    await using plugin = driver.start('placeholders', folder, `http://127.0.0.1:${port}`, 'shk_a');
    const [socket] = await connected;
    const closed = once(socket, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) });
    const isClosed = closed.then(
      () => true,
      () => false,
    );
    const warning = (await plugin.ask('warning')) as string | null;
    report.add('the body of an answer stalls: a warning', String(warning), /does not answer/.test(warning ?? ''));
    report.add('the plugin closes that connection', String(await isClosed), await isClosed);
    socket.destroy();
  }
  server.close();
}
