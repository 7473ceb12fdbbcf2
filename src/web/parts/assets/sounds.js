// Two rising tones for paid, two falling ones for failed. A browser plays nothing before somebody has touched the page, or came from one
// of ours by a touch.
;(() => {
  let audio = null

  const open = () => {
    if (!window.AudioContext) return
    audio = audio || new AudioContext()
    audio.resume()
  }

  const play = (paid) => {
    if (!audio) return
    const tones = paid ? [660, 880] : [330, 220]
    tones.forEach((frequency, nth) => {
      const tone = audio.createOscillator()
      const volume = audio.createGain()
      const start = audio.currentTime + nth * 0.18
      tone.frequency.value = frequency
      volume.gain.setValueAtTime(0.25, start)
      volume.gain.exponentialRampToValueAtTime(0.001, start + 0.17)
      tone.connect(volume).connect(audio.destination)
      tone.start(start)
      tone.stop(start + 0.18)
    })
  }

  window.sounds = { open, play }
})()
