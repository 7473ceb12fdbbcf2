// Makes a phone's photo smaller before it is sent: as it is it may be larger than a form takes, and slow on a bad network. Without this
// script, and where the browser cannot do it, the photo goes as it is.
;(() => {
  const LARGE = 1024 * 1024
  const SIDE = 2400
  const QUALITY = 0.85

  const smaller = async (file) => {
    const picture = await createImageBitmap(file, { imageOrientation: 'from-image' })
    const scale = Math.min(1, SIDE / Math.max(picture.width, picture.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.round(picture.width * scale)
    canvas.height = Math.round(picture.height * scale)
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/jpeg', QUALITY))
    return blob && blob.size < file.size ? new File([blob], file.name, { type: 'image/jpeg' }) : file
  }

  for (const input of document.querySelectorAll('input[type="file"][accept*="image/jpeg"]'))
    input.addEventListener('change', async () => {
      const [file] = input.files
      if (file?.type !== 'image/jpeg' || file.size <= LARGE) return
      try {
        const made = await smaller(file)
        const chosen = new DataTransfer()
        chosen.items.add(made)
        // Another file may have been chosen meanwhile.
        if (input.files[0] === file) input.files = chosen.files
      } catch {
        // No picture, or none that this browser reads.
      }
    })
})()
