/** Formats an e-mail address as the key by which its account is found: two ways to write one address are one key. */
export const formatEmailKey = (address: string): string => address.toLowerCase().normalize('NFC')
