// 2:1: error: expected a class, for example 'model', found 'Real'
Real x;
