import type { GuidePage } from './guide.ts'
import { type PageHeading, renderMarkdown } from './markdown.ts'
import { MarkdownHtml } from './markdown-text.tsx'
import { DocsShell, renderDocument, SearchForm } from './pages.tsx'

/**
 * Where the sections of the guide are that stood on the one page /docs before: links from outside lead to their anchors there. The script
 * follows them; without it they lead to the entry of the new page.
 */
const MOVED_ANCHORS: Readonly<Record<string, string>> = {
  'a-page-to-pay-on': '/docs/links',
  'vending-machines': '/docs/vending',
  'sending-money': '/docs/payouts',
  'sharing-a-charge': '/docs/payments#share-a-charge',
  statements: '/docs/payments#statements',
  'when-something-goes-wrong': '/docs/idempotency#retries',
  limits: '/docs/limits',
  sandbox: '/docs/testing',
  events: '/docs/webhooks',
  'going-live': '/docs/going-live',
  endpoints: '/docs/endpoints',
}

/** Renders this page of the guide, between those before and after it. */
export function renderGuidePage(guide: readonly GuidePage[], nth: number): string {
  const page = guide[nth] as GuidePage
  const { html, headings } = renderMarkdown(page.markdown)
  return renderDocument(
    <DocsShell
      title={page.title}
      path={page.path}
      styles={['guide.css']}
      scripts={['guide.js']}
      markdown={`/docs/${page.name}.md`}
    >
      <div class="guide">
        <details class="menu">
          <summary>
            Guide: <strong>{page.title}</strong>
          </summary>
          <nav aria-label="Guide">
            <GuideLinks guide={guide} page={page} headings={headings} />
          </nav>
        </details>
        <nav class="side" aria-label="Guide">
          <GuideLinks guide={guide} page={page} headings={headings} />
        </nav>
        <main class="column">
          {nth === 0 && <SearchForm question="" />}
          <MarkdownHtml html={html} />
          {nth === 0 && <AllPages guide={guide.slice(1)} />}
          <Neighbours before={guide[nth - 1]} after={guide[nth + 1]} />
          <p class="source">
            <a href={`/docs/${page.name}.md`}>This page as Markdown</a>
          </p>
        </main>
      </div>
    </DocsShell>,
  )
}

type GuideLinksProps = { guide: readonly GuidePage[]; page: GuidePage; headings: readonly PageHeading[] }

const GuideLinks = ({ guide, page, headings }: GuideLinksProps) => (
  <ul>
    {guide.map(({ path, title }) => (
      <li>
        <a href={path} aria-current={path === page.path ? 'page' : undefined}>
          {title}
        </a>
        {path === page.path && <SectionLinks headings={headings.filter(({ level }) => level === 2)} />}
      </li>
    ))}
  </ul>
)

const SectionLinks = ({ headings }: { headings: readonly PageHeading[] }) => (
  <ul>
    {headings.map(({ id, text }) => (
      <li>
        <a href={`#${id}`}>{text}</a>
      </li>
    ))}
  </ul>
)

const AllPages = ({ guide }: { guide: readonly GuidePage[] }) => (
  <>
    <h2 id="all-pages">All pages</h2>
    <ul class="cards">
      {guide.map(({ path, title, summary }) => (
        <li>
          <a href={path}>{title}</a>
          <span>{summary}</span>
          {Object.entries(MOVED_ANCHORS)
            .filter(([, place]) => place.split('#')[0] === path)
            .map(([id, place]) => (
              <i id={id} data-moved={place} />
            ))}
        </li>
      ))}
    </ul>
  </>
)

type NeighboursProps = { before: GuidePage | undefined; after: GuidePage | undefined }

const Neighbours = ({ before, after }: NeighboursProps) => (
  <nav class="neighbours" aria-label="Previous and next page">
    {before !== undefined && (
      <a rel="prev" href={before.path}>
        <span>Previous</span> {before.title}
      </a>
    )}
    {after !== undefined && (
      <a rel="next" href={after.path}>
        <span>Next</span> {after.title}
      </a>
    )}
  </nav>
)
