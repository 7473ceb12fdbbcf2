import type { ComponentChildren } from 'preact'
import { oneLine } from '../../platform/text/text.ts'
import { OutsideText, Time } from './parts.tsx'
import { PARTS } from './texts.ts'

/** What somebody wrote, line by line without misleading characters, with who and when. `by`: a name from outside, or words of ours. */
export const Quote = ({
  says,
  by,
  at,
  children,
}: {
  says: string
  by: string
  at: Date
  children?: ComponentChildren
}) => (
  <blockquote class="answer">
    {says.split('\n').map((line) => (
      <p>{line.trim() === '' ? PARTS.emptyLine : <OutsideText text={line} />}</p>
    ))}
    <footer class="hint">
      <bdi>{oneLine(by)}</bdi>, <Time at={at} />
    </footer>
    {children}
  </blockquote>
)
