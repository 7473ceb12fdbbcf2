import { CopyBox, Section } from '../../parts/parts.tsx'
import { NEW_LINK } from '../links/link-list.tsx'
import { formatFirstRequest } from '../request-example.ts'
import { HOME } from '../texts/home.ts'
import type { DashboardVisit } from '../visit.ts'

const { first } = HOME

/** What a new business can do at once: in the browser first, with a program last. */
export const FirstSteps = ({ visit, testKey }: { visit: DashboardVisit; testKey: string }) => (
  <Section title={first.title}>
    <p>{first.says}</p>
    <p>
      <a class="button" href={visit.to('/ask')}>
        {first.ask}
      </a>
    </p>
    <p>
      {first.linkSays} <a href={visit.to(NEW_LINK.path)}>{first.link}</a>
    </p>
    <details>
      <summary>{first.program}</summary>
      <p>{first.programSays}</p>
      <CopyBox label={first.label} text={formatFirstRequest(visit.app.baseUrl, testKey)} />
      <p class="hint">{first.later}</p>
    </details>
  </Section>
)
