import { describeAway } from '../../platform/db/cell-watch.ts'
import { Frame, GuestPage, PageLayout, TopBar } from '../parts/frame.tsx'
import type { PageRequest } from '../parts/routes/route.ts'
import type { PageReply } from '../parts/routes/surface-reply.ts'
import { CONSOLE_BASE, consolePathIn } from './addresses.ts'
import { EnvironmentBand, formatWindowName, SignedInPerson } from './environment.tsx'
import { CONSOLE_NAVIGATION } from './navigation.ts'
import { CONSOLE_FRAME_TEXTS } from './texts/frame.ts'
import type { ConsoleVisit } from './visit.ts'
import { countByPath } from './work-overview.ts'

type ConsoleShellProps = { page: PageReply; asked: PageRequest; visit: ConsoleVisit | null }

/** The document around a page of the console. Without a visit (not signed in) it has no navigation. */
export function ConsoleShell({ page, asked: { environment, requestId, here }, visit }: ConsoleShellProps) {
  const name = formatWindowName(environment)
  const band = <EnvironmentBand environment={environment} />
  if (visit === null)
    return (
      <Frame {...{ page, name, requestId, here, band }}>
        <GuestPage>{page.body}</GuestPage>
      </Frame>
    )
  return (
    <Frame
      {...{ page, name, requestId, here, band }}
      who={visit.signedIn.person.publicId}
      scripts={visit.signedIn.hasPasskey ? ['passkeys.js'] : []}
    >
      <TopBar
        visit={visit}
        name={CONSOLE_FRAME_TEXTS.product}
        signOut={`${CONSOLE_BASE}/sign-out`}
        searchHint={CONSOLE_FRAME_TEXTS.searchHint}
      >
        <SignedInPerson visit={visit} />
      </TopBar>
      <PageLayout
        visit={visit}
        path={consolePathIn(visit.here)}
        navigation={CONSOLE_NAVIGATION}
        counts={countByPath(visit.waiting)}
      >
        <MissingCells visit={visit} />
        {page.body}
      </PageLayout>
    </Frame>
  )
}

/** Says which cells do not answer: a page over all merchants is made without them. */
function MissingCells({ visit: { gateway } }: { visit: ConsoleVisit }) {
  const away = gateway.cellWatch.away()
  if (away.length === 0) return null
  return (
    <p class="note bad" role="alert">
      {CONSOLE_FRAME_TEXTS.missing(away.map(describeAway).join('; '))}
    </p>
  )
}
