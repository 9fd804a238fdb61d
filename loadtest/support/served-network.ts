import { freeServicePorts, type Ports, type ServedProcess, serveProcess } from './served-process.ts';

/** Processes of Scorehall on one database, which can be killed and started again. */
export class ServedNetwork {
  readonly #environment: (ports: Ports) => NodeJS.ProcessEnv;
  #url = '';
  #served: ServedProcess[] = [];

  constructor(environment: (ports: Ports) => NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /** Starts processes on a database, at first or after `stop` on another one. */
  async serve(url: string, count: number): Promise<void> {
    this.#url = url;
    for (let number = 0; number < count; number++) this.#served.push(await this.#start());
  }

  get count(): number {
    return this.#served.length;
  }

  /** Those that are not being restarted. */
  get running(): ServedProcess[] {
    return this.#served.filter(({ child }) => !child.killed && child.exitCode === null);
  }

  get ingestPorts(): number[] {
    return this.#served.map(({ ingest }) => ingest);
  }

  get apiPorts(): number[] {
    return this.#served.map(({ api }) => api);
  }

  /** Kills a process and starts it on other ports, because another program may have taken the former ones. */
  async restart(number: number): Promise<void> {
    await this.#served[number]!.kill();
    this.#served[number] = await this.#start();
  }

  async stop(signal?: NodeJS.Signals): Promise<void> {
    const served = this.#served;
    this.#served = [];
    await Promise.all(served.map((one) => one.kill(signal)));
  }

  async #start(): Promise<ServedProcess> {
    const ports = await freeServicePorts();
    // Of several processes on one SQLite file each has to count in the database.
    const environment = { COUNTERS: 'database', ...this.#environment(ports) };
    return await serveProcess(this.#url, { ports, environment });
  }
}
