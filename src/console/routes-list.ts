import { HOME_ROUTES } from './home/home-page.tsx'
import type { ConsoleRoute } from './visit.ts'

/** Every page and form of the console for operators who have signed in. */
export const ROUTES: readonly ConsoleRoute[] = [...HOME_ROUTES]
