import { ImportRefusal } from '../finding.ts';
import { readBytes } from '../read-file.ts';

export interface Image {
  content_type: 'image/png' | 'image/jpeg' | 'image/webp';
  data: string;
}

/** The image must fit into an event as base64. */
const MAX_BYTES = 520_000;

/** Reads an image; its type is detected from the content, not from the name. @throws ImportRefusal */
export async function readImage(path: string): Promise<Image> {
  const bytes = await readBytes(path, MAX_BYTES);
  const type = typeOf(bytes);
  if (!type) throw new ImportRefusal('is not a PNG, JPEG or WebP picture');
  return { content_type: type, data: bytes.toString('base64') };
}

function typeOf(bytes: Buffer): Image['content_type'] | undefined {
  if (bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (bytes.subarray(0, 3).toString('latin1') === '\xff\xd8\xff') return 'image/jpeg';
  const [riff, webp] = [bytes.subarray(0, 4).toString('latin1'), bytes.subarray(8, 12).toString('latin1')];
  return riff === 'RIFF' && webp === 'WEBP' ? 'image/webp' : undefined;
}
