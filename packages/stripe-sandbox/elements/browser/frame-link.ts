/** A field's frame in the page, and the channel to it. */
import { FRAME_PATHS } from '../paths.ts';
import type { FieldType, FromFrame, ToFrame } from './messages.ts';
import { frameTitles, sandboxOrigin } from './page-settings.ts';

export class FrameLink {
  readonly frame: HTMLIFrameElement;
  private port: MessagePort | undefined;
  private readonly firstMessage: () => ToFrame;
  private readonly hear: (message: FromFrame) => void;

  /** @param firstMessage asked for whenever the frame has loaded @param hear is given all that the frame says */
  constructor(type: FieldType, firstMessage: () => ToFrame, hear: (message: FromFrame) => void) {
    this.firstMessage = firstMessage;
    this.hear = hear;
    this.frame = document.createElement('iframe');
    this.frame.src = `${sandboxOrigin}${FRAME_PATHS[type]}`;
    this.frame.title = frameTitles[type];
    this.frame.setAttribute('scrolling', 'no');
    Object.assign(this.frame.style, {
      border: 'none',
      display: 'block',
      width: '100%',
      height: '1.2em',
      // A frame whose colour scheme differs from its content's is painted opaque.
      colorScheme: 'normal',
      background: 'transparent',
    });
    this.frame.addEventListener('load', () => this.connect());
  }

  send(message: ToFrame): void {
    this.port?.postMessage(message);
  }

  /** Gives the keyboard to the field. */
  focus(): void {
    this.frame.focus();
    this.send({ kind: 'focus' });
  }

  remove(): void {
    this.port?.close();
    this.port = undefined;
    this.frame.remove();
  }

  /** A frame that is moved in the document loads anew, so each load gets a channel of its own. */
  private connect(): void {
    const { port1, port2 } = new MessageChannel();
    this.port?.close();
    this.port = port1;
    port1.onmessage = (event: MessageEvent<FromFrame>) => {
      if (event.data.kind === 'height') this.frame.style.height = `${event.data.heightPx}px`;
      else this.hear(event.data);
    };
    this.frame.contentWindow?.postMessage(this.firstMessage(), sandboxOrigin, [port2]);
  }
}
