/**
 * An address as the header Location carries it: the one place where pages write it. What somebody typed into an address may hold letters
 * that no header can; they are written as their bytes, as a browser would write them.
 */
export const locationOf = (address: string): string =>
  address.replace(/[^\x21-\x7e]/gu, (letter) =>
    [...Buffer.from(letter)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )
