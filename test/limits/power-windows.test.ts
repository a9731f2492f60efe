import { describePower, isAboutWindows } from './power.ts';

describePower(isAboutWindows);
