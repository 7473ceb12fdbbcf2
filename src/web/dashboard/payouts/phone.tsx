import { OutsideText } from '../../parts/parts.tsx'

/** Shows a phone, never broken over two lines, and the name below it. */
export const Phone = ({ phone, name = null }: { phone: string | null; name?: string | null }) => (
  <>
    <span class="money">
      <OutsideText text={phone} />
    </span>
    {name !== null && name !== '' && (
      <div class="hint">
        <OutsideText text={name} />
      </div>
    )}
  </>
)
