import type { MiddlewareHandler } from 'hono';
import type { UploadedImage } from '#platform/uploaded-image.ts';

/** Headers that make browsers treat any bytes as an image: an uploaded SVG must not run scripts. */
export const IMAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'cache-control': 'public, max-age=300',
};

/**
 * Lets pages of every origin read a picture and its errors: WebGL textures and `fetch` need CORS, pages that isolate themselves
 * (`Cross-Origin-Embedder-Policy`) the policy.
 */
export const publicPicture: MiddlewareHandler = async (c, next) => {
  await next();
  c.header('access-control-allow-origin', '*');
  c.header('cross-origin-resource-policy', 'cross-origin');
};

/** The response with an uploaded image, or 304 if `If-None-Match` has its entity tag. */
export function imageResponse({ content_type, hash, bytes }: UploadedImage, ifNoneMatch: string | undefined) {
  const headers: Record<string, string> = { ...IMAGE_HEADERS, etag: `"${hash}"` };
  if (ifNoneMatch === headers['etag']) return { body: null, status: 304, headers } as const;
  headers['content-type'] = content_type;
  return { body: Uint8Array.from(bytes), status: 200, headers } as const;
}
