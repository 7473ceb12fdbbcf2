/**
 * Encodes an address for the header Location. Text that a person typed into an address may hold letters that no header can carry; they are
 * written as their bytes, as a browser would write them. Pages set the header nowhere else.
 */
export const encodeLocation = (address: string): string =>
  address.replace(/[^\x21-\x7e]/gu, (letter) =>
    [...Buffer.from(letter)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )
