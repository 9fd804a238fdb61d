import type { Sharp, SharpOptions } from 'sharp';
import { InputError } from '../finding.ts';
import { ImportRefusal } from '../finding.ts';
import { readBytes } from '../read-file.ts';

export interface Image {
  content_type: 'image/png' | 'image/jpeg' | 'image/webp';
  data: string;
}

type OpenPicture = (bytes: Buffer, options: SharpOptions) => Sharp;

/** Maximum size of a picture file. */
const MAX_FILE_BYTES = 4_000_000;
/** A picture with more pixels is refused by its header: decoding it would take hundreds of megabytes. */
const MAX_PIXELS = 40_000_000;
/** A larger picture is scaled down, so that it fits into an event as base64. */
const MAX_EVENT_BYTES = 512_000;
/** The longest side of a scaled picture at first; pages show maps smaller than that. */
const LONGEST_SIDE = 1_600;
const QUALITY = 82;

/**
 * Reads the picture of a map; its type is detected from the content, not from the name. A picture that is too large for
 * an event is scaled down and stored as WebP; all others stay as they are. @throws ImportRefusal
 */
export async function readImage(path: string): Promise<Image> {
  const bytes = await readBytes(path, MAX_FILE_BYTES);
  const type = detectType(bytes);
  if (!type) throw new ImportRefusal('is not a PNG, JPEG or WebP picture');
  const open = await loadSharp();
  const { width, height } = await readSize(open, bytes);
  if (width * height > MAX_PIXELS)
    throw new ImportRefusal(`has ${width} × ${height} pixels, more than ${MAX_PIXELS / 1_000_000} million`);
  if (bytes.length <= MAX_EVENT_BYTES) return { content_type: type, data: bytes.toString('base64') };
  return { content_type: 'image/webp', data: (await scaled(open, bytes)).toString('base64') };
}

function detectType(bytes: Buffer): Image['content_type'] | undefined {
  if (bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (bytes.subarray(0, 3).toString('latin1') === '\xff\xd8\xff') return 'image/jpeg';
  const [riff, webp] = [bytes.subarray(0, 4).toString('latin1'), bytes.subarray(8, 12).toString('latin1')];
  return riff === 'RIFF' && webp === 'WEBP' ? 'image/webp' : undefined;
}

/**
 * Loads sharp at the first picture, because the other importers do not need it. It decodes in its own threads.
 * @throws InputError if npm did not install its binary, an optional package
 */
async function loadSharp(): Promise<OpenPicture> {
  try {
    return (await import('sharp')).default;
  } catch {
    throw new InputError(
      `The pictures of maps need the package sharp with its binary for ${process.platform}-${process.arch}. ` +
        'Install the packages again, without --omit=optional: npm ci --omit=dev --ignore-scripts',
    );
  }
}

/** Reads the header alone. */
async function readSize(open: OpenPicture, bytes: Buffer): Promise<{ width: number; height: number }> {
  try {
    return await open(bytes, { limitInputPixels: false }).metadata();
  } catch {
    throw new ImportRefusal('is damaged: its size cannot be read');
  }
}

/** Halves the sides until the picture fits. */
async function scaled(open: OpenPicture, bytes: Buffer): Promise<Buffer> {
  for (let side = LONGEST_SIDE; ; side /= 2) {
    const smaller = await resized(open, bytes, side);
    if (smaller.length <= MAX_EVENT_BYTES) return smaller;
  }
}

async function resized(open: OpenPicture, bytes: Buffer, side: number): Promise<Buffer> {
  try {
    const picture = open(bytes, { limitInputPixels: MAX_PIXELS });
    const fitting = { width: side, height: side, fit: 'inside', withoutEnlargement: true } as const;
    return await picture.autoOrient().resize(fitting).webp({ quality: QUALITY }).toBuffer();
  } catch {
    throw new ImportRefusal('is damaged: it cannot be decoded');
  }
}
