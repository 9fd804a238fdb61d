const FORM =
  /^https:\/\/(?:ptb\.|canary\.)?discord(?:app)?\.com\/api(?:\/v\d{1,2})?\/webhooks\/(\d{1,20})\/([\w-]{20,120})\/?$/;

const ORIGIN = /^https:\/\/(?:ptb\.|canary\.)?discord(?:app)?\.com(?:[/?#]|$)/i;

export const DISCORD_URL_FORM = 'https://discord.com/api/webhooks/ID/TOKEN';

/** Whether an address is on a host of Discord, where only webhooks of channels receive messages. */
export const isDiscordUrl = (text: string): boolean => ORIGIN.test(text);

/** The address of a channel's webhook without its token, which is a secret; undefined for another address. */
export function readDiscordUrl(text: string): { url: string; token: string } | undefined {
  const [, id, token] = FORM.exec(text) ?? [];
  return id === undefined ? undefined : { url: `https://discord.com/api/webhooks/${id}`, token: token! };
}
