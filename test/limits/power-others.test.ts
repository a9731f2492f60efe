import { describePower, isAboutWindows } from './power.ts';

describePower((name) => !isAboutWindows(name));
