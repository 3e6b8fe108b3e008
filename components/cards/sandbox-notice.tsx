import { Notice } from '../ui/notice.tsx';

/** Nobody should take the stand-in for the provider, or type a real number into it. */
export function StandInNotice() {
  return (
    <div id="stand-in">
      <Notice tone="neutral" title="This is a stand-in for the card service.">
        It takes test cards only, such as{' '}
        <span className="font-mono whitespace-nowrap">4242 4242 4242 4242</span> with any later date and any
        security code.
      </Notice>
    </div>
  );
}
