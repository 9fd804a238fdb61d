export { Scorehall } from './scorehall.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type { ListPath, Params, Path, Result } from './paths.ts';
export type { components, paths } from './data-api.ts';
export type { Changes, FollowedChange } from './changes.ts';
export type { Change, FollowOptions, Kind, Resource } from './feed-reader.ts';
export type { MirroredResource, MirrorOptions, MirrorPage, MirrorStore } from './mirror.ts';
export { ResetError, ScorehallError, WebhookError } from './errors.ts';
export { verifyWebhook, type WebhookHeaders } from './webhooks.ts';
