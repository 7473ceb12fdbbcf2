import { encodeQR } from 'qr'

const QUIET_ZONE = 4

/** A QR code drawn into the page. Its text is a secret, so it has no address of its own and is in no cache. */
export function QrPicture({ text, title }: { text: string; title: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const size = rows.length
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={title} width="240" height="240">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
