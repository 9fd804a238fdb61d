/** What begins like an address may be that of a player, which is never stored. */
const NO_ADDRESS = String.raw`(?!\W?(?:\d{1,3}\.){3}\d)`;
/**
 * Names of players as Minecraft servers write them, as a group of a regular expression with the flag `u`. Bridges such as
 * Geyser prefix marks, and servers without verification accept letters of all scripts.
 */
export const NAME = String.raw`(${NO_ADDRESS}[\p{L}\p{M}\p{N}_.*+~!@#$&=-]{1,32})`;
/** Also with blanks, as Floodgate writes them with `replace-spaces: false`. */
export const NAME_WITH_BLANKS = String.raw`(${NO_ADDRESS}[^\p{C}\p{Z}<>[\]()/:](?:[^\p{C}<>[\]()/:]{0,30}[^\p{C}\p{Z}<>[\]()/:])?)`;
