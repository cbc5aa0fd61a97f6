/** The bytes of a text after a compression stream. */
export async function throughStream(text: string, stream: CompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(stream)).arrayBuffer())
}
