import { Bar, Frame, Guest, Place } from '../pages/frame.tsx'
import type { Asked } from '../pages/route.ts'
import type { PageShown } from '../pages/shown.ts'
import { BASE, pathIn } from './addresses.ts'
import { EnvironmentBand, WhoIsIn, windowName } from './environment.tsx'
import { NAVIGATION } from './navigation.ts'
import { FRAME } from './texts/frame.ts'
import type { ConsoleVisit } from './visit.ts'
import { countsOf } from './waiting.ts'

type ShellProps = { page: PageShown; asked: Asked; visit: ConsoleVisit | null }

/** The document around a page of the console. Without a visit (not signed in) it has no navigation. */
export function Shell({ page, asked: { environment, requestId, here }, visit }: ShellProps) {
  const name = windowName(environment)
  const band = <EnvironmentBand of={environment} />
  if (visit === null)
    return (
      <Frame {...{ page, name, requestId, here, band }}>
        <Guest>{page.body}</Guest>
      </Frame>
    )
  return (
    <Frame
      {...{ page, name, requestId, here, band }}
      who={visit.signedIn.person.publicId}
      scripts={visit.signedIn.hasPasskey ? ['passkeys.js'] : []}
    >
      <Bar visit={visit} name={FRAME.product} signOut={`${BASE}/sign-out`} searchHint={FRAME.searchHint}>
        <WhoIsIn visit={visit} />
      </Bar>
      <Place visit={visit} path={pathIn(visit.here)} navigation={NAVIGATION} counts={countsOf(visit.waiting)}>
        {page.body}
      </Place>
    </Frame>
  )
}
