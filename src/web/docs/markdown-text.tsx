import { type RenderedMarkdown, renderMarkdown } from './markdown.ts'

/** Markdown of ours in a column. The renderer has escaped all of its text. */
export const Markdown = ({ text }: { text: string }) => <MarkdownHtml html={renderMarkdown(text).html} />

export const MarkdownHtml = ({ html }: Pick<RenderedMarkdown, 'html'>) => (
  <div class="text" dangerouslySetInnerHTML={{ __html: html }} />
)
