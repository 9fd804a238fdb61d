/** Colours are `#rrggbb`. Text is readable at a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3). */
const READABLE = 4.5;
const STEP = 0.04;

/** The colour if it is readable on all backgrounds, else the nearest mix with black or white that is readable. */
export function readableOn(backgrounds: readonly string[], colour: string): string {
  const target = luminance(backgrounds[0]!) > 0.4 ? '#000000' : '#ffffff';
  const isReadable = (text: string): boolean => backgrounds.every((ground) => contrast(text, ground) >= READABLE);
  let mixed = colour;
  for (let ratio = 0; ratio < 1 && !isReadable(mixed); ratio += STEP) mixed = mix(colour, target, ratio + STEP);
  return mixed;
}

/** Black or white, whichever has the higher contrast with the colour. */
export function inkOn(colour: string): string {
  return contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000';
}

export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** @param ratio the share of `b`, 0 to 1 */
export function mix(a: string, b: string, ratio: number): string {
  const [from, to] = [channels(a), channels(b)];
  return `#${from.map((value, place) => hex(value + (to[place]! - value) * ratio)).join('')}`;
}

/** Red, green and blue, 0 to 255. */
export function channels(colour: string): [number, number, number] {
  return [1, 3, 5].map((place) => Number.parseInt(colour.slice(place, place + 2), 16)) as [number, number, number];
}

/** Converts HSL: the hue in degrees, saturation and lightness from 0 to 1. */
export function hsl(degrees: number, saturation: number, lightness: number): string {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  const channel = (place: number): string => {
    const turn = (place + degrees / 30) % 12;
    return hex((lightness - amplitude * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))) * 255);
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

const hex = (value: number): string => Math.round(value).toString(16).padStart(2, '0');

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const channel = value / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
