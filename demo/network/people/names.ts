import type { Random } from '../random.ts';

const FIRST = words(`Amber Ashen Barley Brisk Candle Cedar Chalky Cobble Copper Dapper Drowsy Dusky Ember Fable Fennel
  Flint Frosty Gentle Ginger Hazel Inky Jolly Kelp Kindly Lanky Lunar Maple Mellow Mossy Nimble Oaken Ochre Paper Pebble
  Plucky Quiet Rusty Salty Sandy Sleepy Smoky Spruce Tawny Thrifty Tidal Umber Velvet Waxen Willow Witty Wobbly Zesty`);
const SECOND = words(`Acorn Anvil Badger Beacon Biscuit Brook Bucket Chisel Clover Comet Cricket Crumpet Dumpling Ferret
  Finch Fjord Gander Gull Heron Hinge Kettle Ladle Lichen Magpie Marten Mitten Newt Noodle Otter Parsnip Pigeon Plover
  Puffin Quill Radish Rudder Shrew Skiff Sparrow Spindle Stoat Tansy Teapot Thistle Thimble Tuba Turnip Walnut Wren Yarrow`);
const ONSETS = words('b br c cl d dr f fl g gl h j k kl l m n p pl qu r s sk st t th tr v w y z');
const VOWELS = words('a e i o u ae ei ia o a e i');
const MIDDLES = words('b ck d ff g l ll lv m n nd nn r rl rv ss st t v x z');
const ENDS = words('n r s th l x m ck nd sk a o y en is us ar el ow');

/** Random syllables must not form offensive words. */
const OFFENSIVE =
  /ana[ls]|ass|bitc|bomb|clit|coc|coon|cum|cun|dic|dyk|fag|fuc|gay|gook|hell|hitl|homo|jew|kik|kkk|les[bs]|naz|neg|nig|paki|penis|pis|poo|porn|pus|rape|sex|shi|slav|slut|spic|suc|tit|tra[np]|twat|vag|wan|whor/i;

function words(text: string): string[] {
  return text.split(/\s+/);
}

/** Generates unique names that Minecraft allows: 3 to 16 letters, digits and underscores. */
export class Names {
  readonly #random: Random;
  readonly #taken: Set<string>;

  constructor(random: Random, taken: Iterable<string>) {
    this.#random = random;
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  next(): string {
    for (;;) {
      const name = decorated(this.#random, plainName(this.#random));
      if (!/^\w{3,16}$/.test(name) || OFFENSIVE.test(name) || this.#taken.has(name.toLowerCase())) continue;
      this.#taken.add(name.toLowerCase());
      return name;
    }
  }
}

function plainName(random: Random): string {
  const style = random.weighted([5, 3, 2, 1]);
  if (style === 0) return invented(random);
  if (style === 1) return random.pick(FIRST) + random.pick(SECOND);
  if (style === 2) return `${random.pick(FIRST)}_${random.pick(SECOND)}`.toLowerCase();
  return `${invented(random)}${random.pick(SECOND)}`;
}

function invented(random: Random): string {
  const vowel = (): string => random.pick(VOWELS);
  let name = random.pick(ONSETS) + vowel() + random.pick(MIDDLES) + vowel();
  if (random.chance(0.35)) name += random.pick(MIDDLES) + vowel();
  name += random.pick(ENDS);
  return name[0]!.toUpperCase() + name.slice(1);
}

function decorated(random: Random, name: string): string {
  const style = random.weighted([58, 14, 8, 6, 4, 3, 7]);
  if (style === 1) return name + random.int(2, 99);
  if (style === 2) return name.toLowerCase();
  if (style === 3) return `${name}_`;
  if (style === 4) return `x${name}x`;
  if (style === 5) return `its${name}`;
  if (style === 6) return `${name}_${random.pick(['GG', 'MC', 'TV', 'V2', '07', '12', 'exe', 'owo'])}`;
  return name;
}
