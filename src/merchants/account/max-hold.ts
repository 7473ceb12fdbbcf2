/** The longest hold that the settings allow, in both modes. Apart from merchant.ts, because the settings import it. */
export const MAX_HOLD_HOURS = 720
