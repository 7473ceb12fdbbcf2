import type { ComponentChildren, VNode } from 'preact'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { Money, OutsideText, ShortId } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith } from '../../parts/table.tsx'
import type { DashboardVisit } from '../visit.ts'

const REFRESH_SECONDS = 5

/** Whether a charge, a payout or a top-up may still change. */
export const isUnderWay = ({ status }: { status: string | null }): boolean =>
  status === 'pending' || status === 'authorized'

type HeadlineProps = {
  amount: number
  id: string
  /** Who it is about and what it was for: texts that people know. */
  about?: readonly (string | null)[]
}

/** The heading of an object's page: its amount, who it is about and what it was for, and its id, which a tap copies. */
export const Headline = ({ amount, id, about = [] }: HeadlineProps) => (
  <div class="top">
    <div>
      <h1>
        <Money amount={amount} />
      </h1>
      {about.some((text) => text !== null) && (
        <p class="about">
          <OutsideText text={about.filter((text) => text !== null).join(' · ')} />
        </p>
      )}
    </div>
    <ShortId id={id} whole />
  </div>
)

type LiveStoryProps = {
  visit: DashboardVisit
  /** The path of the object's page. */
  path: string
  /** Whether the story may still change. */
  live: boolean
  class?: string
  children: ComponentChildren
}

/** The part of an object's page that a script replaces with a newer one while the story may change. */
export const LiveStory = ({ visit, path, live, class: name, children }: LiveStoryProps) => (
  <div class={name} {...(live ? { 'data-live': addressWith(visit.to(path), { part: 'story' }) } : {})}>
    {children}
  </div>
)

type StoryPage = {
  title: string
  head: ComponentChildren
  story: VNode
  /** Whether the story may still change. */
  live: boolean
  below?: ComponentChildren
  state?: FormState | null
  refreshSeconds?: number
  scripts?: readonly string[]
}

/** Makes the page of an object with a story; for its script the story alone. While the story is live, browsers without scripts reload. */
export function storyPage(
  visit: DashboardVisit,
  { title, head, story, live, below, state, ...more }: StoryPage,
): SurfaceReply {
  if (visit.part === 'story') return { kind: 'part', body: story, final: !live }
  const { refreshSeconds = REFRESH_SECONDS, scripts = [] } = more
  return pageReply(
    title,
    <>
      {head}
      {story}
      {below}
    </>,
    { status: state?.status ?? 200, scripts, ...(live ? { refreshSeconds } : {}) },
  )
}
