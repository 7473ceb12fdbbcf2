import type { GuestRoute } from '../pages/route.ts'

/** The pages for people who are not signed in. */
export const GUESTS: readonly GuestRoute[] = []
