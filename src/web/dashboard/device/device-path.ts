/** Where somebody switches messages about payments on for a phone or computer. */
export const DEVICE_PATH = '/device'
