/** An event of a stream of Server-Sent Events. */
export interface StreamEvent {
  /** The id of this event or of the last one that had an id. */
  id: string;
  event: string;
  data: string;
}

const MESSAGE = { event: 'message', data: [] as string[] };

/**
 * Reads `text/event-stream` (HTML Standard, section 9.2.6) from chunks of bytes that may end anywhere. `EventSource` cannot send
 * a token.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder();
  #text = '';
  #id = '';
  #open = structuredClone(MESSAGE);

  /** Returns the events that the chunk completes. */
  push(chunk: Uint8Array): StreamEvent[] {
    this.#text += this.#decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be half of a line break.
    const lines = this.#text.split(/\r\n|\n|\r(?!$)/);
    this.#text = lines.pop()!;
    return lines.flatMap((line) => (line === '' ? this.#dispatch() : this.#readField(line)));
  }

  #dispatch(): StreamEvent[] {
    const { event, data } = this.#open;
    this.#open = structuredClone(MESSAGE);
    return data.length === 0 ? [] : [{ id: this.#id, event, data: data.join('\n') }];
  }

  #readField(line: string): [] {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (name === 'data') this.#open.data.push(value);
    else if (name === 'event') this.#open.event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    return [];
  }
}
