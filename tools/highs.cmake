# How HiGHS is compiled. Each of its 218 sources reads the same headers, which takes most of the compiler's time; put
# together, sixteen at a time, they are read once for all of them. (With 48 at a time, names of different sources clash.)
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
