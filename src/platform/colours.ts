/** Colours as `#rrggbb`, and whether text in one can be read on another (WCAG 2.2, contrast of 4.5 to 1). */
const READABLE = 4.5;
const STEP = 0.04;

/** The colour itself where it can be read on all of these, else the nearest mix towards black or white that can. */
export function readableOn(grounds: readonly string[], colour: string): string {
  const towards = luminance(grounds[0]!) > 0.4 ? '#000000' : '#ffffff';
  let mixed = colour;
  for (let quota = 0; quota < 1 && grounds.some((ground) => contrast(mixed, ground) < READABLE); quota += STEP)
    mixed = mix(colour, towards, quota + STEP);
  return mixed;
}

/** Black or white, whichever is read better on the colour. */
export function inkOn(colour: string): string {
  return contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000';
}

export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** @param quota how much of `b`, 0 to 1 */
export function mix(a: string, b: string, quota: number): string {
  const [from, to] = [channels(a), channels(b)];
  return `#${from.map((value, place) => hex(value + (to[place]! - value) * quota)).join('')}`;
}

export function channels(colour: string): [number, number, number] {
  return [1, 3, 5].map((place) => Number.parseInt(colour.slice(place, place + 2), 16)) as [number, number, number];
}

/** @param degrees the hue; saturation and lightness from 0 to 1 */
export function hsl(degrees: number, saturation: number, lightness: number): string {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (place: number): string => {
    const turn = (place + degrees / 30) % 12;
    return hex((lightness - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))) * 255);
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

const hex = (value: number): string => Math.round(value).toString(16).padStart(2, '0');

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
