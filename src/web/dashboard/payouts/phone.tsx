import { OutsideText, PhoneNumber } from '../../parts/parts.tsx'

/** Shows a phone, never broken over two lines, and the name below it. */
export const Phone = ({ phone, name = null }: { phone: string | null; name?: string | null }) => (
  <>
    <PhoneNumber phone={phone} />
    {name !== null && name !== '' && (
      <div class="hint">
        <OutsideText text={name} />
      </div>
    )}
  </>
)
