import { shownPage } from '../../pages/shown.ts'
import { FRAME } from '../texts/frame.ts'
import { type ConsoleRoute, page } from '../visit.ts'

const showHome = async () => shownPage(FRAME.pages.home, <h1>{FRAME.pages.home}</h1>)

export const HOME_ROUTES: readonly ConsoleRoute[] = [page('/', showHome)]
